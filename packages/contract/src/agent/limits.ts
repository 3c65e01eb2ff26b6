/** The limits of the agent's contract. Source: docs/contract/agent-api.md, in the sections named below. */
export const AGENT_LIMITS = {
  /** Section 2: lists of a turn. */
  disabledTools: 20,
  approvals: 20,
  approvalReasonCharacters: 500,
  /** Rows of `GET /approvals`. */
  inbox: 200,
  connectors: 10,
  /** Section 2, "Frames". */
  pingMs: 15_000,
  /** Section 2, "Runs". */
  heartbeatMs: 10_000,
  staleMs: 30_000,
  budgetMs: 45 * 60_000,
  /** How often other processes continue a run whose process ended. */
  takeovers: 5,
  frameBatchMs: 100,
  titleCharacters: 80,
  /** Bytes of all frames of a run as JSON. A run that exceeds them ends with an error callout. */
  runBytes: 16 * 1_048_576,
  /** Section 4. */
  chatsPage: 200,
  chatsPageMax: 1_000,
  chatTitleCharacters: 200,
  chatMetaKeyCharacters: 64,
  chatMetaBytes: 16_384,
  trashDays: 30,
  feedbackNoteCharacters: 2_000,
  feedbackPage: 200,
  /** Section 5. */
  uploadMib: 512,
  searchResults: 12,
  recursiveResults: 2_000,
  /** Section 7; user ids are those of tokens. */
  workspaceNameCharacters: 80,
  userIdCharacters: 255,
  /** Section 8, API calls. */
  connectorCallMs: 30_000,
  connectorCallBytes: 5 * 1_048_576,
  connectorCallsPerMinute: 240,
  /** Section 9. */
  appRowBytes: 1_000_000,
  /** Section 13: of a person in a workspace, and of a team. All of it is in every request to the model. */
  memoryEntries: 50,
  memoryCharacters: 500,
  /** Bytes of one image or file that a program sends to `/chat/completions`. */
  inlineFileBytes: 5_000_000,
  /** Bytes of the JSON body of a turn. */
  turnBytes: 32 * 1_048_576,
  /** Bytes of a recording. Source: OpenAI's API reference, "Create transcription", 25 MB. */
  speechBytes: 25 * 1_048_576,
} as const;

/** The pattern of a chat id. Source: docs/contract/agent-api.md §2. */
export const CHAT_ID = /^[A-Za-z0-9_-]{1,64}$/;
