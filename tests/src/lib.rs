//! Helpers of the suites over the whole system.
