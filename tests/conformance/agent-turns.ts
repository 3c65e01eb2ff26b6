import { fromSection } from './requirement.ts';

/** Section 2 of the agent's page but its approvals: turns, frames, runs, completions. */
export const AGENT_TURNS = fromSection('agent-api §2', {
  'turn.paths': 'POST / and POST /chat answer alike; without id a chat gets a new UUID.',
  'turn.id': 'A chat id has 1 to 64 of A-Z a-z 0-9 _ -; any other is 422.',
  'turn.body': 'messages has at least one; lists longer than their bounds, unknown roles and parts are 422.',
  'turn.history': 'Of a stored chat the server’s history is the truth and only the last user message is taken.',
  'turn.anonymous': 'Anonymous callers send all messages, and nothing is stored.',
  'turn.headers': 'The answer is text/event-stream with X-Accel-Buffering: no.',
  'turn.busy': 'A chat with a live run answers 409 with Retry-After: 2 and {error: run_in_progress, chat_id, detail}.',
  'turn.durable': 'The user message is stored before the handler runs.',
  'frame.ids': 'Each frame carries <run>:<seq>, seq from 1 without gaps.',
  'frame.order': 'The first frame is chat_id, the last data is [DONE].',
  'frame.empty': 'A yielded string is a text frame; empty items are dropped.',
  'frame.unknown': 'Unknown frame types and actions of a handler are passed on with one log line, never an error.',
  'ui.suggest': 'Each suggestion is a ui frame with a text of at most 200 characters.',
  'ui.ask': 'A question has the form of the table, with the first one again in the frame’s own fields.',
  'step.args': 'step.args is JSON text.',
  'frame.failure':
    'A failure is an error callout ending in an 8-hex reference, logged as error_id, never the exception’s text.',
  'frame.parent': 'A sub-agent’s steps carry parent, the id of the step that called it.',
  'turn.budget':
    'When a monthly budget is used up a turn is 429 with Retry-After and not stored; one that runs out ends the turn with an error callout.',
  'frame.ping': 'After 15 s of silence a ping is sent.',
  'run.dropped': 'A dropped connection ends its run, unless detach.',
  'run.resume': 'GET /chats/{id}/stream replays after `after` or Last-Event-ID and follows.',
  'run.instances': 'Following and stopping work from any instance.',
  'run.killed': 'A run whose producer was killed and that cannot be continued ends with its partial text, interrupted.',
  'run.continued': 'A detached run whose process ended goes on from its last finished step, with the next number.',
  'run.replayed': 'A reader whose last frame was lost with its process gets all frames again, from number 1.',
  'run.stop': 'Stop answers 202 {stopping: true}, or 404 {error: no_run}; partial text is kept and marked.',
  'run.tools': 'Unfinished tool calls of a stopped turn get an error result, and the next turn is told.',
  'completion.whole': 'As one object a completion has OpenAI’s shape.',
  'completion.default':
    'Without stream the answer is a stream, unless Accept names application/json and not text/event-stream.',
  'completion.finish': 'finish_reason is what the model’s provider said: stop, length, content_filter, or tool_calls.',
  'completion.tools':
    'Tools of the caller are offered to the model; their calls come back as tool_calls and go on with the results.',
  'completion.refused': 'What can’t be honored is 422 and named.',
  'completion.format': 'response_format is followed, or the answer is an error.',
  'completion.images': 'Images and files reach the model, inline, from the web and from the workspace.',
  'completion.approvals':
    'A call that waits is in approval_requests; approval_responses decides, once, for its person alone.',
  'completion.models': 'GET /models lists the agent as the one model.',
  'completion.v1': 'The paths of completions and models also answer with /v1 before them.',
  'completion.unavailable': 'A store that can’t be reached is 503, also for a stream.',
  'completion.stream': 'With stream the role is first, finish_reason last, then [DONE].',
  'completion.usage': 'stream_options.include_usage adds one chunk with the usage and no choices.',
  'completion.flatten': 'Components flatten to markdown; thinking, steps, status and ui to nothing.',
  'completion.errors': 'Errors have OpenAI’s error object.',
  'transcribe.text': 'POST /transcribe with a file answers 200 {text}, by any OpenAI-compatible service.',
  transcribe: 'Without a file 400, too large 413, without a speech service 501.',
});
