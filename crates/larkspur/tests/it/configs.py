"""Reads texts as strict readers do, JSON or TOML; or runs a command at a terminal and types into it."""
import json, os, pty, sys, tomllib

def read(kind, texts):
    return [json.loads(text) if kind == "json" else tomllib.loads(text) for text in texts]

def at_terminal(typed, command):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
        if b"[y/N]" in shown and typed:
            os.write(terminal, typed.encode() + b"\n")
            typed = None
    sys.stdout.write(shown.decode())
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

kind, rest = sys.argv[1], sys.argv[2:]
if kind == "terminal":
    sys.exit(at_terminal(rest[0], rest[1:]))
with open(rest[0], encoding="utf-8") as file:
    print(json.dumps(read(kind, json.load(file))))
