//! `parallel`: in order, as data, within the limits of one call.

use super::*;
use std::time::Instant;

#[track_caller]
fn check(source: &str, expected: Result<&str, &str>) {
    assert_eq!(call(source, "f", json!({})), expected.map(str::to_owned).map_err(str::to_owned));
}

#[test]
fn results_come_in_the_order_of_the_items() {
    check(
        "def double(x):\n    return {'n': x, 'twice': [x, x]}\n\
         def f():\n    return parallel(double, range(20))[19]\ntool(f)",
        Ok(r#"{"n":19,"twice":[19,19]}"#),
    );
    check("def f():\n    return parallel(json.encode, [])\ntool(f)", Ok("[]"));
    check(
        "K = [10]\ndef more(x):\n    return x + K[0]\n\
         def f():\n    return parallel(more, (1, 2, 12345678901234567890))\ntool(f)",
        Ok("[11,12,12345678901234567900]"),
    );
    check(
        "def g(x):\n    return x\n\
         def f():\n    xs = parallel(g, [[1], [2]])\n    xs[0].append(3)\n    return xs\ntool(f)",
        Ok("[[1,3],[2]]"),
    );
}

#[test]
fn functions_of_any_kind_can_be_given() {
    let body = |body: &str| format!("def g(x):\n    return x\ndef f():\n    {body}\ntool(f)");
    check(&body("y = 1\n    return parallel(lambda x: x + y, [1])"), Ok("[2]"));
    check(&body("return parallel(lambda x: parallel(g, [x, x]), [1])"), Ok("[[1,1]]"));
    check(
        &body("return parallel(3, [1])"),
        Err("parallel: the first argument is a function, not a int"),
    );
    check(&body("return parallel(g, [g])"), Err("a function cannot be written as JSON"));
}

/// An item is a copy, and so is a result.
#[test]
fn items_and_results_are_data() {
    check(
        "def g(x):\n    x.append(9)\n    return struct(a = x)\n\
         def f():\n    xs = [[1]]\n    return [parallel(g, xs)[0]['a'], xs]\ntool(f)",
        Ok("[[1,9],[[1]]]"),
    );
}

#[test]
fn the_first_failure_ends_it() {
    check(
        "def g(x):\n    if x == 3:\n        fail('three')\n    return x\n\
         def f():\n    return parallel(g, range(8))\ntool(f)",
        Err("three"),
    );
    check(
        "def g(x):\n    return error('kind', 'no ' + str(x), x = x)\n\
         def f():\n    e = attempt(parallel, g, [7]).error\n    return [e.kind, e.message, e.data]\ntool(f)",
        Ok(r#"["kind","no 7",{"x":7}]"#),
    );
}

#[test]
fn an_error_keeps_its_place_in_the_script() {
    let source = "def g(x):\n    y = x - 1\n    return 1 // y\n\
                  def f():\n    return parallel(g, [1])\ntool(f)";
    let script = load(source).unwrap();
    let host = Notebook::default();
    let result = script.call(&script.tools[0], &Args::new(), &Turn::new(&host, &QUICK));
    let Err(CallFailure::Failed { fault, .. }) = result else {
        panic!("{:?}", result.map(|(output, _)| output.plain_text()));
    };
    assert_eq!(
        fault.to_string(),
        "Floor division by zero: 1 // 0\n  ┌ a.star:3:12\n3 │     return 1 // y\n  │            ^^^^^^"
    );
}

#[test]
fn ctx_is_no_data() {
    check(
        "def g(x):\n    return x\ndef f(ctx):\n    return parallel(g, [ctx])\ntool(f)",
        Err("a ctx cannot be written as JSON"),
    );
}

#[test]
fn limits_hold_for_all_of_it() {
    check(
        "def g(x):\n    return 1\ndef f():\n    return parallel(g, ['a' * 1000000] * 100)\ntool(f)",
        Err("the value is longer than 67108864 bytes as JSON (limit `result`)"),
    );
    check(
        "def g(x):\n    return x\ndef f():\n    return parallel(g, range(20000))\ntool(f)",
        Err("parallel: 20000 items; it takes 10000"),
    );
}

#[test]
fn deadline_and_steps_end_the_whole_call() {
    let source = "def g(x):\n    for i in range(2000000000):\n        pass\n\
                  def f():\n    attempt(parallel, g, range(4))\n    return 'went on'\ntool(f)";
    let stopped = |limits: Limits| {
        let script = load(source).unwrap();
        let host = Notebook::default();
        let result = script.call(&script.tools[0], &Args::new(), &Turn::new(&host, &limits));
        match result {
            Err(CallFailure::Stopped { fault, .. }) => fault.message,
            other => panic!("{:?}", other.map(|(output, _)| output.plain_text())),
        }
    };
    let time = Duration::from_millis(300);
    let started = Instant::now();
    assert_eq!(
        stopped(Limits { time, ..quick() }),
        "stopped after 300 ms, the time one call may take (limit `timeout`)"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(
        stopped(Limits { ticks: 100_000, ..quick() }),
        "stopped after 100000 steps, the most one call may take (limit `ticks`)"
    );
}
