"""Kernels with the frameworks loaded, forked from a process that has imported them.

Importing takes longer than most chapters' own computations.

    python kernels.py serve SOCKET PID MODULE... imports, and forks kernels on request,
                                                 until the process PID ends
    python kernels.py ask SOCKET CONNECTION_FILE stands in for a kernel until it ends
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys


def serve(address, process, *modules):
    """Fork a kernel for each request, until a process has ended."""
    ended = os.pidfd_open(int(process))
    # As a kernel does; matplotlib reads this when it is imported.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    gc.disable()  # all that is imported stays: collecting garbage takes a fifth longer
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # so that collecting garbage copies no memory
    gc.enable()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no one waits for the lenders
        while ended not in select.select([server, ended], [], [])[0]:
            asking, _ = server.accept()
            if os.fork() == 0:
                server.close()
                _lend_kernel(asking)
            asking.close()


def _lend_kernel(asking):
    """Fork a kernel for a client; end it when the client ends, and end with it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, streams, _, _ = socket.recv_fds(asking, 1 << 16, 3)
    kernel = os.fork()
    if kernel == 0:
        asking.close()
        _become_kernel(streams, **json.loads(request))
    select.select([asking, os.pidfd_open(kernel)], [], [])
    os.killpg(kernel, signal.SIGKILL)
    os._exit(0)


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
    """Request a kernel with the streams of this process, and wait for its end."""
    variables = {
        name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"
    }
    request = {
        "connection_file": connection_file,
        "folder": os.getcwd(),
        "variables": variables,
    }
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
        server.recv(1)


if __name__ == "__main__":
    del sys.path[0]  # a kernel imports nothing from this folder
    {"serve": serve, "ask": ask}[sys.argv[1]](*sys.argv[2:])
