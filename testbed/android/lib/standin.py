"""Stands in for an adbd that is not well; the host's adb is real.

unauthorized: answers every connection with a token to sign and accepts no signature (Debian's adbd never asks for a key).
offline: takes connections and never says a word."""
import os
import socket
import struct
import sys
import threading

MODE = sys.argv[1]
AUTH = 0x48545541
CNXN = 0x4E584E43


def packet(command, arg0, arg1, payload):
    return struct.pack("<6I", command, arg0, arg1, len(payload), sum(payload) & 0xFFFFFFFF, command ^ 0xFFFFFFFF) + payload


def exactly(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def serve(connection):
    try:
        while True:
            command, arg0, _, length, _, _ = struct.unpack("<6I", exactly(connection, 24))
            exactly(connection, min(length, 1 << 20))
            if MODE == "offline":
                continue
            if command == CNXN or (command == AUTH and arg0 == 2):
                connection.sendall(packet(AUTH, 1, 0, os.urandom(20)))
            # Kind 3 is a public key: the dialog on the screen that nobody confirms.
    except (EOFError, OSError):
        connection.close()


server = socket.create_server(("0.0.0.0", 5555))
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
