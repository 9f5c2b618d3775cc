//! Part of Stickslip.
