"""litellm as a client of an agent.

Reads one JSON request a line, {scenario, url, key}, and prints one JSON answer a line. The scenarios and their answers are
those of ../langchain/client.mjs.
"""

import json
import sys

import litellm

# Hints would be printed between the answers.
litellm.suppress_debug_info = True

PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg=="
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"type": "function", "function": {"name": "weather", "description": "Tells the weather.", "parameters": CITY}}


def ask(at, content="hi", **options):
    return litellm.completion(
        model="openai/any",
        api_base=at["url"],
        api_key=at["key"],
        **{"messages": [{"role": "user", "content": content}], **options},
    )


def describe(response):
    """What every scenario answers about a message of the agent."""
    choice = response.choices[0]
    calls = choice.message.tool_calls or []
    usage = getattr(response, "usage", None)
    return {
        "text": choice.message.content or "",
        "calls": [{"name": call.function.name, "args": json.loads(call.function.arguments)} for call in calls],
        "finish": choice.finish_reason,
        "usage": [usage.prompt_tokens, usage.completion_tokens] if usage else [],
    }


def gather(stream):
    chunks = list(stream)
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    return {**describe(litellm.stream_chunk_builder(chunks)), "pieces": pieces}


def complete(at):
    return describe(ask(at))


def stream(at):
    return gather(ask(at, stream=True, stream_options={"include_usage": True}))


def tools(at):
    messages = [{"role": "user", "content": "Weather in Oslo?"}]
    choice = {"type": "function", "function": {"name": "weather"}}
    first = ask(at, messages=messages, tools=[WEATHER], tool_choice=choice)
    message = first.choices[0].message
    messages.append(message.model_dump())
    for call in message.tool_calls:
        city = json.loads(call.function.arguments)["city"]
        messages.append({"role": "tool", "tool_call_id": call.id, "content": f"Rain in {city}"})
    return {"first": describe(first), "last": describe(ask(at, messages=messages, tools=[WEATHER]))}


def stream_tools(at):
    options = {"include_usage": True}
    return gather(ask(at, "Weather in Oslo?", tools=[WEATHER], stream=True, stream_options=options))


def format(at):
    schema = {"type": "json_schema", "json_schema": {"name": "place", "schema": CITY}}
    return {"value": json.loads(ask(at, "Where?", response_format=schema).choices[0].message.content)}


def image(at):
    return describe(ask(at, [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": PIXEL}}]))


def models(at):
    return litellm.get_valid_models(
        check_provider_endpoint=True, custom_llm_provider="openai", api_base=at["url"], api_key=at["key"]
    )


SCENARIOS = {
    "complete": complete,
    "stream": stream,
    "tools": tools,
    "streamTools": stream_tools,
    "format": format,
    "image": image,
    "models": models,
}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = SCENARIOS[request["scenario"]](request)
    except Exception as error:
        fields = {name: getattr(error, name, None) for name in ("status_code", "type", "param", "body")}
        answer = {"error": {"status": fields["status_code"], **fields, "class": type(error).__name__, "message": str(error)}}
    print(json.dumps(answer, default=str), flush=True)
