"""Child processes have the modules and the import paths of the process that starts them."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from wotr_experiments.isolation.children import process_context

def tell(pipe):
    pipe.send(("early" in sys.modules, sys.path[0], __name__))

if __name__ == "__main__":
    context = process_context("early")
    here, there = context.Pipe()
    child = context.Process(target=tell, args=(there,))
    child.start()
    print(*here.recv())
    child.join()
    with open(sys.argv[1] + "/loaded") as file:
        print(*file)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_the_server_loads_modules_from_paths_that_a_script_adds(tmp_path):
    """It does not run the script itself; the child does, as if it had been started anew."""
    (tmp_path / "early.py").write_text(
        f"import multiprocessing\nopen({str(tmp_path / 'loaded')!r}, 'a')."
        "write(multiprocessing.current_process().name)"
    )
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"True {tmp_path} __mp_main__", "MainProcess"], done.stderr
