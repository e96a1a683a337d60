//! ARRAY, MAP, ROW and VARIANT.

use crate::exchange::{Answer, Argument, Element};
use feldc_value::error::NOT_NULL_VIOLATION;
use feldc_value::{SqlError, SqlType, Value, json, nested, variant};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// ARRAY; elements may be NULL, so `T` is an `Option`.
pub type Array<T> = Arc<Vec<T>>;

/// MAP; values may be NULL, so `V` is an `Option`.
pub type Map<K, V> = Arc<BTreeMap<K, V>>;

/// What SQL lets be NULL and the Rust type does not: the keys of MAPs.
fn no_place() -> SqlError {
    SqlError::new(NOT_NULL_VIOLATION, "a key of a MAP is NULL, which functions in Rust cannot take")
}

macro_rules! tree {
    ([$($generics:tt)*] $rust:ty) => {
        impl<$($generics)*> Argument<&Value> for $rust {
            fn argument(native: &Value) -> Result<Self, SqlError> {
                Self::from_value(native).ok_or_else(no_place)
            }
        }

        impl<$($generics)*> Answer for $rust {
            type Native = Value;

            fn answer(self) -> Result<Value, SqlError> {
                self.to_value()
            }
        }
    };
}

tree!([T: Element + Clone] Array<T>);
tree!([K: Element + Ord + Clone, V: Element + Clone] Map<K, V>);
tree!([] Variant);

impl<T: Element + Clone> Element for Array<T> {
    fn from_value(value: &Value) -> Option<Self> {
        let Value::Array(elements) = value else { return None };
        elements.iter().map(T::from_value).collect::<Option<Vec<T>>>().map(Arc::new)
    }

    fn to_value(self) -> Result<Value, SqlError> {
        let elements: Result<Vec<Value>, SqlError> = Arc::unwrap_or_clone(self).into_iter().map(T::to_value).collect();
        elements.map(Value::array)
    }
}

impl<K: Element + Ord + Clone, V: Element + Clone> Element for Map<K, V> {
    fn from_value(value: &Value) -> Option<Self> {
        let Value::Map(entries) = value else { return None };
        let entries = entries.iter().map(|(key, value)| Some((K::from_value(key)?, V::from_value(value)?)));
        entries.collect::<Option<BTreeMap<K, V>>>().map(Arc::new)
    }

    fn to_value(self) -> Result<Value, SqlError> {
        let entries = Arc::unwrap_or_clone(self).into_iter();
        let entries: Result<Vec<(Value, Value)>, SqlError> =
            entries.map(|(key, value)| Ok((key.to_value()?, value.to_value()?))).collect();
        entries.map(nested::map)
    }
}

/// A ROW or a value of a type of the program with fields, in order.
macro_rules! rows {
    ($($name:ident($($field:tt $ty:ident),+);)+) => {$(
        #[doc = "A ROW of so many fields."]
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name<$($ty),+>($(pub $ty),+);

        impl<$($ty),+> $name<$($ty),+> {
            #[doc = "The ROW of these fields."]
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub fn new($($ty: $ty),+) -> Self {
                $name($($ty),+)
            }
        }

        tree!([$($ty: Element),+] $name<$($ty),+>);

        impl<$($ty: Element),+> Element for $name<$($ty),+> {
            fn from_value(value: &Value) -> Option<Self> {
                let Value::Row(fields) = value else { return None };
                Some($name($($ty::from_value(fields.get($field)?)?),+))
            }

            fn to_value(self) -> Result<Value, SqlError> {
                Ok(Value::row([$(self.$field.to_value()?),+]))
            }
        }
    )+};
}

rows! {
    Tup1(0 A);
    Tup2(0 A, 1 B);
    Tup3(0 A, 1 B, 2 C);
    Tup4(0 A, 1 B, 2 C, 3 D);
    Tup5(0 A, 1 B, 2 C, 3 D, 4 E);
    Tup6(0 A, 1 B, 2 C, 3 D, 4 E, 5 F);
    Tup7(0 A, 1 B, 2 C, 3 D, 4 E, 5 F, 6 G);
    Tup8(0 A, 1 B, 2 C, 3 D, 4 E, 5 F, 6 G, 7 H);
    Tup9(0 A, 1 B, 2 C, 3 D, 4 E, 5 F, 6 G, 7 H, 8 I);
    Tup10(0 A, 1 B, 2 C, 3 D, 4 E, 5 F, 6 G, 7 H, 8 I, 9 J);
    Tup11(0 A, 1 B, 2 C, 3 D, 4 E, 5 F, 6 G, 7 H, 8 I, 9 J, 10 K);
    Tup12(0 A, 1 B, 2 C, 3 D, 4 E, 5 F, 6 G, 7 H, 8 I, 9 J, 10 K, 11 L);
}

/// VARIANT: a value of any type, or the null of JSON. It is made of JSON and read as JSON.
#[derive(Clone, Debug)]
pub struct Variant(Value);

impl Variant {
    /// The value that a JSON text denotes.
    ///
    /// # Errors
    /// When the text is no JSON.
    pub fn from_json(text: &str) -> Result<Variant, SqlError> {
        let signature = feldc_value::function::Signature { arguments: &[SqlType::VARCHAR], result: SqlType::Variant };
        let value = variant::parse(&[Value::text(text)], &signature)?;
        // PARSE_JSON gives NULL for what is no JSON.
        match value.is_null() {
            true => Err(SqlError::new(feldc_value::error::INVALID_TEXT, "the text is no JSON")),
            false => Ok(Variant(value)),
        }
    }

    /// The value as a JSON text.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        json::json_value(&self.0, SqlType::Variant, &mut text);
        text
    }
}

impl Default for Variant {
    fn default() -> Variant {
        Variant(nested::json_null())
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Variant) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Variant {}

impl PartialOrd for Variant {
    fn partial_cmp(&self, other: &Variant) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Variant {
    fn cmp(&self, other: &Variant) -> Ordering {
        nested::order(&self.0, &other.0)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

impl Element for Variant {
    fn from_value(value: &Value) -> Option<Self> {
        matches!(value, Value::Variant(_)).then(|| Variant(value.clone()))
    }

    fn to_value(self) -> Result<Value, SqlError> {
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqlString;

    #[test]
    fn trees_go_there_and_back() {
        type Places = Map<SqlString, Option<Tup2<i64, Option<Array<Option<i32>>>>>>;
        let row = Value::row([Value::BigInt(7), Value::array([Value::Integer(1), Value::Null])]);
        let map = nested::map([(Value::text("b"), row), (Value::text("a"), Value::Null)]);
        let places = Places::argument(&map).unwrap();
        assert_eq!(places[&SqlString::from("b")], Some(Tup2(7, Some(Arc::new(vec![Some(1), None])))));
        assert_eq!(Tup2::new(7, true), Tup2(7, true));
        assert_eq!(places.answer(), Ok(map));
        let null_key = nested::map([(Value::Null, Value::Null)]);
        assert_eq!(Places::argument(&null_key).unwrap_err().code, NOT_NULL_VIOLATION);
    }

    #[test]
    fn variants_are_json() {
        let variant = Variant::from_json("{\"a\": [1, null]}").unwrap();
        assert_eq!(variant.to_json(), "{\"a\":[1,null]}");
        assert_eq!(Variant::argument(&variant.clone().answer().unwrap()).unwrap(), variant);
        assert!(Variant::from_json("{").is_err());
    }
}
