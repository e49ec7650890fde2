/** As much of socket.io 2.5 as the tests use; it has no types of its own. */
declare module 'socket.io' {
  export interface Client {
    readonly id: string;
    readonly handshake: { readonly query: Readonly<Record<string, string>> };
    readonly conn: {
      readonly transport: { readonly name: string };
      readonly pingTimeoutTimer: NodeJS.Timeout;
      /** Packets that wait for the client. */
      readonly writeBuffer: readonly unknown[];
      on(event: 'packet', listener: (packet: { readonly type: string }) => void): void;
    };
    emit(name: string, ...payload: unknown[]): void;
    disconnect(all: boolean): void;
    on(event: 'disconnect', listener: (reason: string) => void): void;
  }

  interface Server {
    readonly sockets: { readonly connected: Readonly<Record<string, Client>> };
    use(check: (client: Client, next: (error?: Error) => void) => void): void;
    on(event: 'connection', listener: (client: Client) => void): void;
    close(): void;
  }

  export default function listen(server: object, options: object): Server;
}
