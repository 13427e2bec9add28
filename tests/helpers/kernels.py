"""Kernels that have the frameworks already: forked from one process that imported them.

Importing takes longer than what most chapters compute.

    python kernels.py serve SOCKET MODULE...     imports, and forks a kernel when asked
    python kernels.py ask SOCKET CONNECTION_FILE stands for a kernel: it ends with it
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys


def serve(address, *modules):
    """Fork a kernel for each that asks, one after the other."""
    # As a kernel does; matplotlib reads it when it is imported.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # so that counting garbage copies no memory
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while True:
            asking, _ = server.accept()
            told, streams, _, _ = socket.recv_fds(asking, 1 << 16, 3)
            kernel = os.fork()
            if kernel == 0:
                server.close()
                _become_kernel(streams, **json.loads(told))
            ended = os.pidfd_open(kernel)
            select.select([asking, ended], [], [])
            os.killpg(kernel, signal.SIGKILL)
            os.waitpid(kernel, 0)
            for descriptor in (*streams, ended):
                os.close(descriptor)
            asking.close()


def _become_kernel(streams, connection_file, folder, variables):
    os.setsid()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = ["ipykernel_launcher", "-f", connection_file]

    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
    os._exit(0)


def ask(address, connection_file):
    """Have a kernel forked with the streams of this process, and wait for its end."""
    variables = {
        name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"
    }
    told = {
        "connection_file": connection_file,
        "folder": os.getcwd(),
        "variables": variables,
    }
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [json.dumps(told).encode()], [0, 1, 2])
        server.recv(1)


if __name__ == "__main__":
    del sys.path[0]  # a kernel does not see this folder
    {"serve": serve, "ask": ask}[sys.argv[1]](*sys.argv[2:])
