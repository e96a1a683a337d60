//! The timer's borders: an engine's time is everything but the making of rows.

use std::time::{Duration, Instant};

/// CPU time of the whole process, all threads, in seconds.
pub fn process_cpu_s() -> f64 {
    cpu_s(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn thread_cpu_s() -> f64 {
    cpu_s(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Not from `getrusage`, which divides time among threads by ticks.
fn cpu_s(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a plain C struct that the call fills.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// `VmHWM` (peak) or `VmRSS` (now) of this process, in MB.
pub fn memory_mb(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or_default();
    let kib: f64 = line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0.0);
    kib / 1024.0
}

/// Splits a run into making rows (not counted) and the engine's work.
pub struct Meter {
    wall: Duration,
    start_cpu_s: f64,
    generator_cpu_s: f64,
    base_mb: f64,
    pub rows: u64,
}

impl Default for Meter {
    /// Starts measuring. What the process holds by now (the generator's text pool, above all) is not the engine's.
    fn default() -> Meter {
        let base_mb = memory_mb("VmRSS");
        Meter { base_mb, wall: Duration::ZERO, start_cpu_s: process_cpu_s(), generator_cpu_s: 0.0, rows: 0 }
    }
}

impl Meter {
    /// Runs `make`, whose time does not count.
    pub fn generate<T>(&mut self, make: impl FnOnce() -> T) -> T {
        let before = thread_cpu_s();
        let made = make();
        self.generator_cpu_s += thread_cpu_s() - before;
        made
    }

    /// Runs `work` on `rows` rows, whose time counts.
    pub fn engine<T>(&mut self, rows: u64, work: impl FnOnce() -> T) -> T {
        let before = Instant::now();
        let done = work();
        self.wall += before.elapsed();
        self.rows += rows;
        done
    }

    pub fn finish(self) -> Report {
        let cpu_s = process_cpu_s() - self.start_cpu_s - self.generator_cpu_s;
        Report { rows: self.rows, wall_s: self.wall.as_secs_f64(), cpu_s, rss_mb: memory_mb("VmRSS") - self.base_mb, base_mb: self.base_mb, ..Report::default() }
    }
}

#[derive(Default)]
pub struct Report {
    pub rows: u64,
    pub wall_s: f64,
    pub cpu_s: f64,
    pub rss_mb: f64,
    base_mb: f64,
    pub p50_us: f64,
    pub p99_us: f64,
    /// Something that depends on the results, equal for every engine.
    pub checksum: i128,
}

impl Report {
    /// Times `count` single-row steps.
    pub fn latency(&mut self, count: usize, mut step: impl FnMut(usize)) {
        let mut samples: Vec<f64> = (0..count)
            .map(|index| {
                let before = Instant::now();
                step(index);
                before.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        samples.sort_by(f64::total_cmp);
        self.p50_us = samples[samples.len() / 2];
        self.p99_us = samples[samples.len() * 99 / 100];
    }

    /// One line of JSON on standard output.
    pub fn print(&self, engine: &str, workload: &str, workers: usize) {
        println!(
            "{{\"engine\":\"{engine}\",\"workload\":\"{workload}\",\"workers\":{workers},\"rows\":{},\"wall_s\":{:.3},\"cpu_s\":{:.3},\"rows_per_cpu_s\":{:.0},\"rss_mb\":{:.0},\"peak_mb\":{:.0},\"p50_us\":{:.1},\"p99_us\":{:.1},\"checksum\":{}}}",
            self.rows,
            self.wall_s,
            self.cpu_s,
            self.rows as f64 / self.cpu_s,
            self.rss_mb,
            memory_mb("VmHWM") - self.base_mb,
            self.p50_us,
            self.p99_us,
            self.checksum
        );
    }
}
