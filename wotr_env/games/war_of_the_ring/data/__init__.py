"""The components as facts (JSON), and the modules that read and check them."""
