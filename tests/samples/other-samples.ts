import type { Sample } from './sample.ts';

/** Runs words of a Python package's own program, in an environment that is made for it and left out of the project. */
const withPackage = (packages: string, words: string): readonly string[] => [
  'sh',
  '-c',
  `python3 -m venv ../venv && ../venv/bin/pip install -q ${packages} && mkdir app && cd app && ../../venv/bin/${words}`,
];

const go = (main: string): Readonly<Record<string, string>> => ({
  'go.mod': 'module example.com/app\n\ngo 1.22\n',
  'main.go': `package main\n${main}`,
});

/** Fetches what a Go program imports, as its first steps say. */
const GO_TIDY = ['sh', '-c', 'cd app && go mod tidy'] as const;

/** Projects of Python, Go and plain files. */
export const OTHER_SAMPLES: readonly Sample[] = [
  {
    name: 'django',
    create: withPackage('django', 'django-admin startproject mysite .'),
    files: { 'requirements.txt': 'django\n' },
    // Its settings allow no host yet: the page that says so is Django's.
    answer: /DisallowedHost|The install worked/,
  },
  {
    // https://flask.palletsprojects.com/quickstart/
    name: 'flask',
    files: {
      'requirements.txt': 'flask\n',
      'app.py':
        'from flask import Flask\n\napp = Flask(__name__)\n\n@app.route("/")\ndef hello_world():\n    return "<p>Hello, World!</p>"\n',
    },
    answer: /Hello, World!/,
  },
  {
    // https://fastapi.tiangolo.com/#example
    name: 'fastapi',
    files: {
      'requirements.txt': 'fastapi[standard]\n',
      'main.py':
        'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/")\ndef read_root():\n    return {"Hello": "World"}\n',
    },
    answer: /"Hello":"World"/,
  },
  {
    // https://docs.streamlit.io/get-started
    name: 'streamlit',
    files: { 'requirements.txt': 'streamlit\n', 'app.py': 'import streamlit as st\n\nst.write("Hello world")\n' },
    answer: /Streamlit/,
  },
  {
    // https://www.starlette.io
    name: 'starlette',
    files: {
      'requirements.txt': 'starlette\nuvicorn\n',
      'main.py':
        "from starlette.applications import Starlette\nfrom starlette.responses import JSONResponse\nfrom starlette.routing import Route\n\nasync def homepage(request):\n    return JSONResponse({'hello': 'world'})\n\napp = Starlette(routes=[Route('/', homepage)])\n",
    },
    answer: /"hello":"world"/,
  },
  {
    // https://docs.aiohttp.org/en/stable/#server-example
    name: 'aiohttp',
    files: {
      'requirements.txt': 'aiohttp\n',
      'main.py':
        'from aiohttp import web\n\nasync def handle(request):\n    return web.Response(text="Hello, Anonymous")\n\napp = web.Application()\napp.add_routes([web.get("/", handle)])\n\nif __name__ == "__main__":\n    web.run_app(app)\n',
    },
    answer: /Hello, Anonymous/,
  },
  {
    // https://www.tornadoweb.org/en/stable/#hello-world
    name: 'tornado',
    files: {
      'requirements.txt': 'tornado\n',
      'main.py':
        'import asyncio\nimport tornado\n\nclass MainHandler(tornado.web.RequestHandler):\n    def get(self):\n        self.write("Hello, world")\n\nasync def main():\n    app = tornado.web.Application([(r"/", MainHandler)])\n    app.listen(8888)\n    await asyncio.Event().wait()\n\nasyncio.run(main())\n',
    },
    port: 8888,
    answer: /Hello, world/,
  },
  {
    // https://docs.litestar.dev/latest/#minimal-example
    name: 'litestar',
    files: {
      'requirements.txt': 'litestar[standard]\n',
      'app.py':
        'from litestar import Litestar, get\n\n@get("/")\nasync def index() -> str:\n    return "Hello, world!"\n\napp = Litestar([index])\n',
    },
    answer: /Hello, world!/,
  },
  {
    name: 'go-http',
    files: go(
      'import ("fmt"; "log"; "net/http")\nfunc main() {\n\thttp.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "Hello from Go") })\n\tlog.Fatal(http.ListenAndServe(":8080", nil))\n}\n',
    ),
    answer: /Hello from Go/,
  },
  {
    // https://gin-gonic.com/docs/quickstart/
    name: 'go-gin',
    create: GO_TIDY,
    files: go(
      'import "github.com/gin-gonic/gin"\nfunc main() {\n\tr := gin.Default()\n\tr.GET("/", func(c *gin.Context) { c.JSON(200, gin.H{"message": "pong"}) })\n\tr.Run()\n}\n',
    ),
    answer: /pong/,
  },
  {
    // https://echo.labstack.com/docs/quick-start
    name: 'go-echo',
    create: GO_TIDY,
    files: go(
      'import ("net/http"; "github.com/labstack/echo/v4")\nfunc main() {\n\te := echo.New()\n\te.GET("/", func(c echo.Context) error { return c.String(http.StatusOK, "Hello, World!") })\n\te.Logger.Fatal(e.Start(":1323"))\n}\n',
    ),
    port: 1323,
    answer: /Hello, World!/,
  },
  {
    // https://docs.gofiber.io
    name: 'go-fiber',
    create: GO_TIDY,
    files: go(
      'import "github.com/gofiber/fiber/v2"\nfunc main() {\n\tapp := fiber.New()\n\tapp.Get("/", func(c *fiber.Ctx) error { return c.SendString("Hello, World!") })\n\tapp.Listen(":3000")\n}\n',
    ),
    port: 3000,
    answer: /Hello, World!/,
  },
  { name: 'plain-html', files: { 'index.html': '<!doctype html><h1>Hello</h1>' }, answer: /<h1>Hello/ },
];
