//! Between our days, nanoseconds and microseconds and chrono's types.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use feldc_value::calendar::{MAX_DAY, MIN_DAY, NANOS_PER_DAY, NANOS_PER_SECOND, check_day, check_timestamp};
use feldc_value::error::DATETIME_OVERFLOW;
use feldc_value::{SqlError, SqlState};

/// Days from chrono's first day to 1970.
const EPOCH: i32 = 719_163;

#[cold]
fn outside(state: SqlState, what: &'static str) -> SqlError {
    SqlError::new(state, what)
}

pub fn from_date(day: i32) -> Result<NaiveDate, SqlError> {
    let day = check_day(i64::from(day))?;
    NaiveDate::from_num_days_from_ce_opt(day + EPOCH).ok_or_else(|| outside(DATETIME_OVERFLOW, "no such day"))
}

pub fn from_time(nanos: i64) -> Result<NaiveTime, SqlError> {
    let (seconds, rest) = (nanos.div_euclid(NANOS_PER_SECOND), nanos.rem_euclid(NANOS_PER_SECOND));
    u32::try_from(seconds)
        .ok()
        .and_then(|seconds| NaiveTime::from_num_seconds_from_midnight_opt(seconds, rest as u32))
        .ok_or_else(|| outside(DATETIME_OVERFLOW, "no such time of day"))
}

pub fn from_timestamp(micros: i64) -> Result<DateTime<Utc>, SqlError> {
    let micros = check_timestamp(Some(micros))?;
    DateTime::from_timestamp_micros(micros).ok_or_else(|| outside(DATETIME_OVERFLOW, "no such timestamp"))
}

/// `None` outside DATE.
pub fn to_date(date: NaiveDate) -> Option<i32> {
    use chrono::Datelike;
    Some(date.num_days_from_ce() - EPOCH).filter(|day| (MIN_DAY..=MAX_DAY).contains(day))
}

/// A leap second counts as the second after it; `None` when that is the next day.
pub fn to_time(time: NaiveTime) -> Option<i64> {
    use chrono::Timelike;
    let nanos = i64::from(time.num_seconds_from_midnight()) * NANOS_PER_SECOND + i64::from(time.nanosecond());
    Some(nanos).filter(|nanos| *nanos < NANOS_PER_DAY)
}

/// `None` outside TIMESTAMP.
pub fn to_timestamp(time: NaiveDateTime) -> Option<i64> {
    check_timestamp(Some(time.and_utc().timestamp_micros())).ok()
}
