export { createMcpEndpoint, type McpEndpoint } from './create-mcp-endpoint.ts';
export type { PlatformServerOptions } from './create-platform-server.ts';
export { serveMcpStdio } from './serve-mcp-stdio.ts';
export { MCP_LIMITS } from './tool/limits.ts';
export type { LocalArchive, ToolAccess } from './tool/tool.ts';
