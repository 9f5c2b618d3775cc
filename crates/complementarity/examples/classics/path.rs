//! PATH, loaded from its shared library (`libpath52.so`, as `pip install gamspy-base` brings it).
//! Without a license it takes up to 300 unknowns and 2000 entries of the Jacobian.

#![allow(unsafe_code)] // calls into C

use std::error::Error;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

use complementarity::nonlinear::{Ncp, differences};

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// What PATH reads and writes of a problem (`MCP_Interface`); the rest may be null.
#[repr(C)]
struct Interface {
    data: *mut c_void,
    size: extern "C" fn(*mut Data, *mut c_int, *mut c_int),
    bounds: extern "C" fn(*mut Data, c_int, *mut f64, *mut f64, *mut f64),
    function: extern "C" fn(*mut Data, c_int, *const f64, *mut f64) -> c_int,
    jacobian: extern "C" fn(
        *mut Data,
        c_int,
        *const f64,
        c_int,
        *mut f64,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut f64,
    ) -> c_int,
    rest: [*mut c_void; 6],
}

/// `Information`: what PATH says of a solve; the flags are single bytes or words by version, so
/// there is room for both.
#[repr(C)]
struct Information {
    numbers: [f64; 5],
    counts: [c_int; 9],
    flags: [u8; 7],
    room: [u8; 128],
}

/// `Output_Interface`.
#[repr(C)]
struct Output {
    data: *mut c_void,
    print: extern "C" fn(*mut c_void, c_int, *const c_char),
    flush: extern "C" fn(*mut c_void, c_int),
}

extern "C" fn silent(_: *mut c_void, _: c_int, _: *const c_char) {}
extern "C" fn quiet(_: *mut c_void, _: c_int) {}

struct Data<'a> {
    ncp: &'a Ncp<'a>,
    start: &'a [f64],
    /// Rows of the Jacobian that are not always zero, by column.
    rows: Vec<Vec<usize>>,
}

/// PATH's word for infinity.
const INFINITY: f64 = 1e20;

extern "C" fn size(data: *mut Data, n: *mut c_int, entries: *mut c_int) {
    let data = unsafe { &*data };
    unsafe {
        *n = data.start.len() as c_int;
        *entries = data.rows.iter().map(Vec::len).sum::<usize>() as c_int;
    }
}

extern "C" fn bounds(data: *mut Data, n: c_int, z: *mut f64, lower: *mut f64, upper: *mut f64) {
    let data = unsafe { &*data };
    for i in 0..n as usize {
        unsafe {
            *z.add(i) = data.start[i];
            *lower.add(i) = data.ncp.lower[i].max(-INFINITY);
            *upper.add(i) = data.ncp.upper[i].min(INFINITY);
        }
    }
}

/// The number of rows where F is not defined.
extern "C" fn function(data: *mut Data, n: c_int, z: *const f64, f: *mut f64) -> c_int {
    let n = n as usize;
    let (data, z) = unsafe { (&*data, std::slice::from_raw_parts(z, n)) };
    let f = unsafe { std::slice::from_raw_parts_mut(f, n) };
    data.ncp.map.value(z, f);
    f.iter().filter(|x| !x.is_finite()).count() as c_int
}

extern "C" fn jacobian(
    data: *mut Data,
    n: c_int,
    z: *const f64,
    with_f: c_int,
    f: *mut f64,
    entries: *mut c_int,
    first: *mut c_int,
    length: *mut c_int,
    row: *mut c_int,
    value: *mut f64,
) -> c_int {
    let wrong = if with_f == 0 { 0 } else { function(data, n, z, f) };
    let (data, z) = unsafe { (&*data, std::slice::from_raw_parts(z, n as usize)) };
    let found = data.ncp.map.jacobian(z).to_dense();
    let (mut k, mut bad) = (0, 0);
    for (j, rows) in data.rows.iter().enumerate() {
        unsafe {
            *first.add(j) = k as c_int + 1;
            *length.add(j) = rows.len() as c_int;
        }
        for &i in rows {
            let x = found.get(i, j);
            bad += c_int::from(!x.is_finite());
            unsafe {
                *row.add(k) = i as c_int + 1;
                *value.add(k) = x;
            }
            k += 1;
        }
    }
    unsafe { *entries = k as c_int };
    wrong + bad
}

/// The library.
pub struct PathSolver {
    library: *mut c_void,
}

impl PathSolver {
    /// Loads it.
    pub fn open(file: &Path) -> Result<Self, Box<dyn Error>> {
        let name = CString::new(file.to_string_lossy().as_bytes())?;
        // RTLD_NOW
        let library = unsafe { dlopen(name.as_ptr(), 2) };
        if library.is_null() {
            let text = unsafe { CStr::from_ptr(dlerror()) };
            return Err(text.to_string_lossy().into_owned().into());
        }
        let path = Self { library };
        let output = Output { data: std::ptr::null_mut(), print: silent, flush: quiet };
        // it keeps the pointer
        let output = Box::leak(Box::new(output));
        let set: extern "C" fn(*const Output) = unsafe { path.get("Output_SetInterface")? };
        set(output);
        Ok(path)
    }

    /// A function of the library, of the type that the caller says.
    unsafe fn get<F: Copy>(&self, name: &str) -> Result<F, Box<dyn Error>> {
        let text = CString::new(name)?;
        let found = unsafe { dlsym(self.library, text.as_ptr()) };
        if found.is_null() {
            return Err(format!("the library has no {name}").into());
        }
        Ok(unsafe { std::mem::transmute_copy(&found) })
    }

    /// Its version, in its own words.
    pub fn version(&self) -> Result<String, Box<dyn Error>> {
        let version: extern "C" fn() -> *const c_char = unsafe { self.get("Path_Version")? };
        Ok(unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned())
    }

    /// Solves from a start; `None` where the license does not allow the size.
    pub fn solve(&self, ncp: &Ncp, start: &[f64]) -> Result<Option<Vec<f64>>, Box<dyn Error>> {
        type Handle = *mut c_void;
        let n = start.len();
        let mut data = Data { ncp, start, rows: pattern(ncp, start) };
        let entries = data.rows.iter().map(Vec::len).sum::<usize>();
        let allowed: extern "C" fn(c_int, c_int) -> c_int =
            unsafe { self.get("Path_CheckLicense")? };
        if allowed(n as c_int, entries as c_int) == 0 {
            return Ok(None);
        }
        let options: extern "C" fn() -> Handle = unsafe { self.get("Options_Create")? };
        let add: extern "C" fn(Handle) = unsafe { self.get("Path_AddOptions")? };
        let default: extern "C" fn(Handle) = unsafe { self.get("Options_Default")? };
        let set: extern "C" fn(Handle, *const c_char) = unsafe { self.get("Options_Set")? };
        let drop_options: extern "C" fn(Handle) = unsafe { self.get("Options_Destroy")? };
        let create: extern "C" fn(c_int, c_int) -> Handle = unsafe { self.get("MCP_Create")? };
        let destroy: extern "C" fn(Handle) = unsafe { self.get("MCP_Destroy")? };
        let connect: extern "C" fn(Handle, *mut Interface) =
            unsafe { self.get("MCP_SetInterface")? };
        let solve: extern "C" fn(Handle, *mut Information) -> c_int =
            unsafe { self.get("Path_Solve")? };
        let unknowns: extern "C" fn(Handle) -> *const f64 = unsafe { self.get("MCP_GetX")? };
        let settings = options();
        add(settings);
        default(settings);
        for text in [c"convergence_tolerance 1e-10", c"time_limit 10"] {
            set(settings, text.as_ptr());
        }
        let problem = create(n as c_int, entries as c_int + 1);
        let mut interface = Interface {
            data: (&raw mut data).cast(),
            size,
            bounds,
            function,
            jacobian,
            rest: [std::ptr::null_mut(); 6],
        };
        connect(problem, &raw mut interface);
        let mut said =
            Information { numbers: [0.0; 5], counts: [0; 9], flags: [0; 7], room: [0; 128] };
        // use_start, for flags of one byte
        said.flags[3] = 1;
        let _ = solve(problem, &raw mut said);
        let z = unsafe { std::slice::from_raw_parts(unknowns(problem), n) }.to_vec();
        destroy(problem);
        drop_options(settings);
        Ok(Some(z))
    }
}

/// Rows with an entry at one of a few points around the start, by column.
fn pattern(ncp: &Ncp, start: &[f64]) -> Vec<Vec<usize>> {
    let n = start.len();
    let mut rows = vec![vec![]; n];
    for k in 0..6 {
        // some way off, the same on every run
        let off = |i: usize| 0.37 * f64::from(k) * (1.0 + ((7 * i + 3) % 11) as f64 / 11.0);
        let z: Vec<f64> =
            (0..n).map(|i| (start[i] + off(i)).max(ncp.lower[i]).min(ncp.upper[i])).collect();
        let here = differences(ncp.map, &z).to_dense();
        for (j, rows) in rows.iter_mut().enumerate() {
            for i in 0..n {
                // NaN counts
                if here.get(i, j) != 0.0 && !rows.contains(&i) {
                    rows.push(i);
                }
            }
        }
    }
    rows.iter_mut().for_each(|r| r.sort_unstable());
    rows
}
