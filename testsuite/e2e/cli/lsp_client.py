# lsp_client.py - a client of the language server, for lsp.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: lsp_client.py FILE COMMAND...

Opens FILE with the server COMMAND and prints, one line of JSON each: what the server can do, the
diagnostics, the lenses, what it says about the words in REQUESTS (LINE:WORD, from the standard input), and the
actions for the lines there.
"""
import json
import pathlib
import subprocess
import sys


class Client:
    def __init__(self, command):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.notified = []

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.server.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.server.stdout.read(length))

    def ask(self, method, params):
        self.last += 1
        self.send(id=self.last, method=method, params=params)
        while (message := self.receive()).get("id") != self.last:
            self.notified.append(message)
        return message.get("result", message.get("error"))


def main(file, *command):
    path = pathlib.Path(file).resolve()
    uri, lines = path.as_uri(), path.read_text().split("\n")
    client = Client(command)
    document = {"uri": uri}
    print(json.dumps(client.ask("initialize", {"rootUri": path.parent.as_uri(), "capabilities": {}})))
    client.send(method="initialized", params={})
    client.send(method="textDocument/didOpen", params={"textDocument": {**document, "languageId": "c", "version": 1,
                                                                        "text": "\n".join(lines)}})
    lenses = client.ask("textDocument/codeLens", {"textDocument": document})
    print(json.dumps(client.notified))
    print(json.dumps(lenses))
    for request in sys.stdin.read().split():
        line, word = request.split(":")
        where = {"line": int(line) - 1, "character": lines[int(line) - 1].index(word)}
        print(json.dumps(client.ask("textDocument/hover", {"textDocument": document, "position": where})))
        print(json.dumps(client.ask("textDocument/codeAction", {
            "textDocument": document, "range": {"start": where, "end": where}, "context": {"diagnostics": []}})))
    print(json.dumps(client.ask("textDocument/rename", {})))
    client.ask("shutdown", None)
    client.send(method="exit")
    return client.server.wait(10)


sys.exit(main(*sys.argv[1:]))
