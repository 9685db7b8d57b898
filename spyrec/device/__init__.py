"""What the compiler, the executors and the simulator know about a device.

``model`` holds plain dataclasses (they travel inside an artifact as JSON), ``routes`` finds the units and memories
that a transfer passes, ``cost`` turns counts and bytes into cycles, ``read`` makes a model from a ``ktdf_arch`` file.
All but ``read`` work without MLIR.
"""
