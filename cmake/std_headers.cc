// A target has at least one source; this one has its precompiled header.
