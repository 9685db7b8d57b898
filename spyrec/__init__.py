"""spyrec: a compiler driver from KTIR to SpyreCode."""
