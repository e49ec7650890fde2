/** Bytes to a port of this machine, and the bytes that come back. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Sender } from '../webhooks/receiver-client.ts';

/** All that comes until the other side ends the connection. */
export async function exchangeBytes(port: number, text: string, host?: string): Promise<string> {
  return new Sender(port, host).send(Buffer.from(text, 'latin1')).rest();
}

export async function connected(port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, host).on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Whether anything listens there. */
export async function isOpen(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The status line's number, of the last answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
