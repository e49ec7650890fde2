/** By the name of the command. */
export const SUBSCRIBE_ARGS = {
  what: { help: 'Symbols such as EUR/USD, and tables such as Order', required: true, repeat: true },
} as const;
