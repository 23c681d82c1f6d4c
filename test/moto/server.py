"""moto's server on a free loopback port, which it prints. It serves one request at a time.

moto checks a condition and makes the change in two steps, so threads let two conditional writes of one item both succeed.
Its arguments are the types of resources that its CloudFormation does not know. It ends when its input does, so that it
does not outlive the process that started it.
"""

import os
import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from mends import mend
from stack_resources import add_unknown

mend()
add_unknown(sys.argv[1:])
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=False)


def end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
print(server.port, flush=True)
server.serve_forever()
