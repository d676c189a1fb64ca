"""Event cards beyond the common operations (section 22.8): one file each."""
