//! Dates, times, intervals and UUIDs, each the number that stands for it.

use crate::exchange::wrapper;
use feldc_value::calendar::{check_day, check_timestamp};
use feldc_value::error::DATETIME_OVERFLOW;
use feldc_value::{SqlError, Value};

const NANOS_PER_DAY: i64 = 86_400_000_000_000;

macro_rules! counted {
    ($(#[$doc:meta])* $name:ident, $native:ty, $variant:ident, $from:ident, $get:ident, $unit:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($native);

        impl $name {
            #[doc = concat!("Of a number of ", $unit, ".")]
            pub const fn $from(number: $native) -> $name {
                $name(number)
            }

            #[doc = concat!("The number of ", $unit, ".")]
            pub const fn $get(self) -> $native {
                self.0
            }
        }

        wrapper!($name: $native, $variant, $name, |value: $name| ($check)(value.0));
    };
}

counted!(
    /// DATE, of the years 0001 to 9999.
    Date, i32, Date, from_days, days, "days since 1970-01-01", |days| check_day(i64::from(days))
);
counted!(
    /// TIME, of one day.
    Time, i64, Time, from_nanoseconds, nanoseconds, "nanoseconds since midnight", check_time
);
counted!(
    /// TIMESTAMP, of the years 0001 to 9999.
    Timestamp, i64, Timestamp, from_microseconds, microseconds, "microseconds since 1970-01-01 00:00:00",
    |micros| check_timestamp(Some(micros))
);
counted!(
    /// TIMESTAMP WITH TIME ZONE, of the years 0001 to 9999.
    TimestampTz, i64, TimestampTz, from_microseconds, microseconds, "microseconds since 1970-01-01 00:00:00 UTC",
    |micros| check_timestamp(Some(micros))
);
counted!(
    /// An INTERVAL of days to seconds.
    ShortInterval, i64, IntervalShort, from_microseconds, microseconds, "microseconds", Ok
);
counted!(
    /// An INTERVAL of years and months.
    LongInterval, i32, IntervalLong, from_months, months, "months", Ok
);
counted!(
    /// UUID.
    Uuid, u128, Uuid, from_u128, as_u128, "its 128 bits", Ok
);

impl Timestamp {
    /// Of a number of milliseconds since 1970-01-01 00:00:00; one too large for the type is refused where it is returned.
    pub const fn from_milliseconds(millis: i64) -> Timestamp {
        Timestamp(millis.saturating_mul(1000))
    }

    /// The number of milliseconds since 1970-01-01 00:00:00, rounded down.
    pub const fn milliseconds(self) -> i64 {
        self.0.div_euclid(1000)
    }
}

impl ShortInterval {
    /// Of a number of milliseconds; one too large becomes the longest interval.
    pub const fn from_milliseconds(millis: i64) -> ShortInterval {
        ShortInterval(millis.saturating_mul(1000))
    }

    /// The number of milliseconds, rounded toward zero.
    pub const fn milliseconds(self) -> i64 {
        self.0 / 1000
    }
}

impl Uuid {
    /// Of sixteen bytes, the most significant first.
    pub const fn from_bytes(bytes: [u8; 16]) -> Uuid {
        Uuid(u128::from_be_bytes(bytes))
    }

    /// Sixteen bytes, the most significant first.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

fn check_time(nanos: i64) -> Result<i64, SqlError> {
    match (0..NANOS_PER_DAY).contains(&nanos) {
        true => Ok(nanos),
        false => Err(SqlError::new(DATETIME_OVERFLOW, "the result is not within one day")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Answer;

    #[test]
    fn results_outside_their_types_are_refused() {
        assert_eq!(Date::from_days(19_000).answer(), Ok(19_000));
        assert_eq!(Date::from_days(i32::MAX).answer().unwrap_err().code, "22008");
        assert_eq!(Timestamp::from_milliseconds(i64::MIN).answer().unwrap_err().code, "22008");
        assert_eq!(Time::from_nanoseconds(NANOS_PER_DAY).answer().unwrap_err().code, "22008");
        assert_eq!(Timestamp::from_microseconds(-1).milliseconds(), -1);
    }
}
