"""Tools for contributors: the test suite, fuzzers, injected faults, generated pages, pictures, measurements.

Each is started from the root of a clone in which the package is installed, such as
``python -m tests.tools.fuzz_states``. They are not part of the wheel. Their tests are in ``tests/dev``.
"""
