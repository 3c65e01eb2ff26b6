import { fromSection } from './requirement.ts';

/** Section 4 of the agent's page: stored chats. */
export const AGENT_CHATS = fromSection('agent-api §4', {
  'chats.list': 'GET /chats answers {id,title,createdAt,updatedAt,favoritedAt,cost,run}, newest first.',
  'chats.pages': 'Link rel="next" leads through all chats, each once.',
  'chats.title': 'The title is the first user text cut to 80.',
  'chats.updated': 'updatedAt moves on user messages only, cost sums as a USD string of six decimals.',
  'chats.get': 'GET /chats/{id} answers meta and messages; an unknown one is 204 and empty.',
  'chats.since': 'since gives what is new; reset says that messages were removed.',
  'chats.run': 'run is the status of the latest run or null, run_id its id; next is an integer, open a role or null.',
  'chats.user-content': 'The content of a stored user message is text; its images and files are attachments.',
  'chats.cards': 'Undecided cards come back on the last message of the assistant, as {type: card, card}.',
  'chats.put': 'PUT makes or merges title, favoritedAt and meta; null removes a key.',
  'chats.ignored': 'PUT changes neither id, owner, cost, run nor messages.',
  'chats.delete': 'DELETE answers {ok, trash_id}; an unknown chat is 404.',
  'chats.exchange': 'DELETE last-exchange removes the last user message and all after it.',
  'chats.expect': 'expect names the message by its SHA-256; another one is left alone.',
  'chats.running': 'While a run is live the last exchange can’t be removed: 409.',
  'chats.search': 'q finds chats by words in messages, each with match: {seq, role, excerpt}.',
  'chats.versions': 'A replaced message keeps its versions; POST versions/{seq} shows one with what followed it.',
  'chats.export': 'GET export answers the chat as Markdown or JSON; an unknown chat is 404.',
  'chats.feedback': 'PUT feedback is kept with question and answer, and listed; without rating and note it is removed.',
  'chats.feedback-scope': 'An admin of an organization lists the feedback of its members, anyone else their own.',
  'chats.merge': 'Consecutive assistant turns read back as one message; internal turns are hidden.',
  'chats.foreign': 'Somebody else’s id and a random id are answered alike.',
});
