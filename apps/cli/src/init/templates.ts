/** A template of `berth init`. */
export interface Template {
  readonly name: string;
  readonly description: string;
  /** True when it uses `@berth/agent`; the project then gets a copy. */
  readonly isAgent: boolean;
}

/** The templates of `berth init`, in the order of its help. */
export const TEMPLATES: readonly Template[] = [
  { name: 'agent', description: 'a ten-line agent without a model', isAgent: true },
  { name: 'agent-with-tools', description: 'an agent with a model and a tool', isAgent: true },
  { name: 'service', description: 'a web service on node:http', isAgent: false },
  { name: 'static', description: 'a web site', isAgent: false },
  { name: 'settings', description: 'only a berth.json, for an existing project', isAgent: false },
];
