import { fromSection } from './requirement.ts';

/** Section 3 of the agent's page: configuration and metadata. */
export const AGENT_METADATA = fromSection('agent-api §3', {
  'metadata.public': 'Every route of it is public, and there without auth.',
  'metadata.config': 'GET /config has every field and nothing secret.',
  'metadata.og': 'GET /og.png is 1200×630, right-to-left aware, with an ETag.',
  'metadata.favicon': 'GET /favicon.svg is an SVG.',
  'metadata.crawlers': 'GET /robots.txt and /sitemap.xml name the agent’s address.',
  'metadata.llms': 'GET /llms.txt has a heading, a quote and links to the routes that a machine can call.',
  'metadata.explore': 'GET /explore is never an error, cached for 300 s.',
  'metadata.examples': 'GET /examples leaves out what is dead, revoked or not public, cached for 300 s.',
  'agent.busy': 'GET /.well-known/berth/busy says whether a turn or other work runs, and nothing else; public.',
  'metadata.files': 'GET /public/{path} serves the owner’s static files.',
});
