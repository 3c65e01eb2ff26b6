export { createMcpEndpoint, type McpEndpoint } from './create-mcp-endpoint.ts';
export type { PlatformServerOptions } from './create-platform-server.ts';
export { serveMcpStdio } from './serve-mcp-stdio.ts';
export { MCP_LIMITS } from './tool/limits.ts';
export type { LocalArchive, Tool, ToolAccess } from './tool/tool.ts';
export { PLATFORM_TOOLS } from './tools/index.ts';
