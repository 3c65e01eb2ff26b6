import { escapeXml } from '@berth/agent-core';
import type { AgentConfig } from '@berth/contract/agent';

/** The title's first letter on the agent's colour. */
export function defaultFavicon({ title, colors }: Pick<AgentConfig, 'title' | 'colors'>): string {
  const [first] = new Intl.Segmenter().segment(title.trim().toUpperCase());
  const letter = escapeXml(first?.segment ?? 'A');
  const font = 'font-family="system-ui,sans-serif" font-size="36" font-weight="600"';
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">',
    `<rect width="64" height="64" rx="14" fill="${colors.primary}"/>`,
    `<text x="32" y="45" text-anchor="middle" ${font} fill="#fff">${letter}</text></svg>`,
  ].join('');
}
