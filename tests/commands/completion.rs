//! `feldc completion`.

use crate::{call, folder};
use std::process::Command;

#[test]
fn every_shell_gets_a_script() {
    let folder = folder(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script, error) = call(folder.path(), &["completion", shell]);
        assert_eq!((code, error.as_str()), (0, ""), "{shell}");
        for word in ["explain", "deny", "until-complete", "interpret"] {
            assert!(script.contains(word), "{shell} completes {word}");
        }
        std::fs::write(folder.path().join(shell), script).expect("writable");
    }
    let (code, _, error) = call(folder.path(), &["completion", "cmd"]);
    assert!(code == 2 && error.contains("powershell"), "{error}");
}

/// What bash completes, where there is a bash.
#[test]
fn bash_completes_words() {
    let folder = folder(&[]);
    let (_, script, _) = call(folder.path(), &["completion", "bash"]);
    std::fs::write(folder.path().join("feldc.bash"), script).expect("writable");
    let check = |words: &str, expected: &str| {
        let ask = format!(
            "source feldc.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _feldc feldc \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[*]}}\""
        );
        let Ok(output) = Command::new("bash").args(["-c", &ask]).current_dir(folder.path()).output() else { return };
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{words}: {output:?}");
    };
    check("feldc expl", "explain");
    check("feldc explain --de", "--deny");
    check("feldc run --until", "--until-complete");
}
