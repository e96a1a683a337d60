//! Rows of the small workloads: filter and project, aggregate over many keys, join of the Nexmark Q3 shape.

/// A fixed scrambling of 64 bits.
pub fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub const GROUP_ROWS: u64 = 5_000_000;
pub const GROUP_KEYS: u64 = 1_000_000;
pub const JOIN_ROWS: u64 = 4_000_000;
pub const BATCH: u64 = 10_000;
pub const UPDATES: usize = 2_000;

/// Row `i` of the aggregate: (key, value).
pub fn group(i: u64) -> (i64, i64) {
    ((mix(i) % GROUP_KEYS) as i64, (mix(i ^ 0xabc) % 1000) as i64)
}

/// Row `i` of the filter: (auction, bidder, price, channel).
pub fn bid(i: u64) -> (i64, i64, i64, i64) {
    ((mix(i) % 10_000) as i64, (mix(i ^ 1) % 50_000) as i64, (mix(i ^ 2) % 100_000) as i64, (mix(i ^ 3) % 4) as i64)
}

pub enum JoinRow {
    /// id, name, city, state
    Person(i64, String, String, &'static str),
    /// id, seller, category
    Auction(i64, i64, i64),
}

const STATES: [&str; 6] = ["OR", "ID", "CA", "WA", "NY", "TX"];

/// Row `i` of the join: every fourth a person, else an auction of a person seen so far (mostly).
pub fn join(i: u64) -> JoinRow {
    let persons = i / 4;
    match i % 4 {
        0 => {
            let state = STATES[(mix(i) % 6) as usize];
            JoinRow::Person(persons as i64, format!("person {}", mix(i ^ 5) % 1000), format!("city {}", mix(i ^ 6) % 100), state)
        }
        _ => JoinRow::Auction(i as i64, (mix(i) % (persons + 100)) as i64, 10 + (mix(i ^ 7) % 5) as i64),
    }
}
