import os
import platform

from flask import Flask

app = Flask(__name__)


@app.get("/")
def about():
    return {"message": "Hello from Flask in a container", "python": platform.python_version(), "user": os.getuid()}


@app.get("/fib/<int:n>")
def fib(n: int):
    a, b = 0, 1
    for _ in range(min(n, 1000)):
        a, b = b, a + b
    return {"n": n, "fib": str(a)}
