"""Workers like those of torchrun, forked from a process that has imported PyTorch.

Importing takes longer than the training in a test.

    python torchrun_workers.py WORLD PROGRAM ARGUMENT...
"""

import gc
import os
import runpy
import sys

import torch._dynamo  # every optimizer imports it
import torch.distributed
import torch.multiprocessing
from torch.nn.parallel import DistributedDataParallel


def start(world, program, *arguments):
    """Run a program in several workers; if one of them fails, end the others."""
    store = torch.distributed.TCPStore(
        "127.0.0.1", 0, is_master=True, wait_for_workers=False
    )
    torch.multiprocessing.start_processes(
        _work,
        (world, store.port, program, arguments),
        nprocs=int(world),
        start_method="fork",
    )


def _work(rank, world, port, program, arguments):
    os.environ.update(
        RANK=str(rank),
        LOCAL_RANK=str(rank),
        WORLD_SIZE=world,
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port),
        TORCHELASTIC_USE_AGENT_STORE="True",  # the store is the parent's
    )
    sys.argv = [program, *arguments]
    sys.path[0] = os.getcwd()
    torch.distributed.destroy_process_group = _destroy
    runpy.run_path(program, run_name="__main__")


def _destroy(destroy=torch.distributed.destroy_process_group):
    """Destroy the process group, unless a wrapped model still holds it.

    Such a worker sometimes hangs: its threads wait for Python's lock.
    """
    if any(type(one) is DistributedDataParallel for one in gc.get_objects()):
        raise RuntimeError("delete the DistributedDataParallel before its group")
    destroy()


if __name__ == "__main__":
    start(*sys.argv[1:])
