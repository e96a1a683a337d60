//! Reports of step scripts in the XML of JUnit, as continuous integration reads it: a suite for each script, a case for each
//! step.

use super::test::{Outcome, Report, difference};
use crate::steps::script::StepResult;

pub fn xml(reports: &[Report]) -> String {
    let suites: String = reports.iter().map(suite).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"feldc test\">\n{suites}</testsuites>\n")
}

fn suite(report: &Report) -> String {
    let (tests, failures, errors, cases) = match &report.outcome {
        Outcome::Broken(message) => (1, 0, 1, broken(report, message)),
        Outcome::Accepted(results) => (results.len(), 0, 0, cases(report, results, |_| true)),
        Outcome::Ran(results) => {
            let failures = results.iter().filter(|result| !result.passed()).count();
            (results.len(), failures, 0, cases(report, results, StepResult::passed))
        }
    };
    let (name, time) = (escaped(&report.path.to_string_lossy()), report.time.as_secs_f64());
    format!(
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\">\n{cases}  </testsuite>\n"
    )
}

fn case(report: &Report, name: &str, line: usize) -> String {
    let file = escaped(&report.path.to_string_lossy());
    format!("    <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{line}\"")
}

fn broken(report: &Report, message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let case = case(report, "script", 1);
    format!("{case}>\n      <error message=\"{}\">{}</error>\n    </testcase>\n", escaped(first), escaped(message))
}

fn cases(report: &Report, results: &[StepResult], passed: impl Fn(&StepResult) -> bool) -> String {
    let case = |(at, result): (usize, &StepResult)| {
        let case = case(report, &format!("step {}", at + 1), result.line);
        match passed(result) {
            true => format!("{case}/>\n"),
            false => {
                let message = format!("{}:{}: step {} differs", report.path.display(), result.line, at + 1);
                let (message, diff) = (escaped(&message), escaped(&difference(result)));
                format!("{case}>\n      <failure message=\"{message}\">\n{diff}</failure>\n    </testcase>\n")
            }
        }
    };
    results.iter().enumerate().map(case).collect()
}

/// XML has no place for most control characters, not even by their number.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(character),
            _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_report_has_a_suite_for_each_script() {
        let report = |path: &str, outcome| Report { path: path.into(), outcome, time: Duration::from_millis(1500) };
        let result = |diff| StepResult { line: 7, diff, actual: vec![] };
        let results = vec![result(vec![]), result(vec![('+', "s  +1 ('<\u{1}')".into())])];
        let reports = [report("a.step", Outcome::Ran(results)), report("b.step", Outcome::Broken("no & \"x\"".into()))];
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"feldc test\">
  <testsuite name=\"a.step\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"1.500\">
    <testcase classname=\"a.step\" name=\"step 1\" file=\"a.step\" line=\"7\"/>
    <testcase classname=\"a.step\" name=\"step 2\" file=\"a.step\" line=\"7\">
      <failure message=\"a.step:7: step 2 differs\">
  + s  +1 ('&lt;\u{fffd}')
</failure>
    </testcase>
  </testsuite>
  <testsuite name=\"b.step\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"1.500\">
    <testcase classname=\"b.step\" name=\"script\" file=\"b.step\" line=\"1\">
      <error message=\"no &amp; &quot;x&quot;\">no &amp; &quot;x&quot;</error>
    </testcase>
  </testsuite>
</testsuites>
";
        assert_eq!(xml(&reports), expected);
    }
}
