//! `cargo xtask`: the program; `lib.rs` has its commands.

fn main() -> std::process::ExitCode {
    xtask::main()
}
