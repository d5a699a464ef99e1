"""Runs a command on a pseudo-terminal, answers each question with the first argument, prints what was shown.

The last line printed is the exit code and how many questions were answered.
"""
import os
import pty
import select
import sys

answer, command = sys.argv[1].encode(), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execv(command[0], command)
shown, answered = b"", 0
while select.select([terminal], [], [], 60)[0]:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    # What is typed before the question is thrown away, so answer only once its whole line is there.
    while shown.count(b"[y/N] ") > answered:
        answered += 1
        os.write(terminal, answer + b"\n")
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.stdout.buffer.write(shown + b"\n")
print(f"exit {status}, answered {answered}")
