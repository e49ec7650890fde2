// A trading gateway that sends as many pushes as a client can read. It prepares them in advance and imitates the rest only as far as a
// client needs it, because the library of the real gateway is too slow for this.
import { startService } from './measure.mjs';

const ORDER =
  '{"t":3,"ratePrecision":5,"orderId":"390285837","tradeId":"170162801","time":"04252018120716391","accountName":"00654061","accountId":"654061","timeInForce":"GTC","expireDate":"","currency":"EUR/USD","isBuy":true,"buy":1.21818,"sell":0,"type":"OM","status":2,"amountK":5,"currencyPoint":0.5,"stopMove":0,"stop":0,"stopRate":0,"limit":0,"limitRate":0,"isEntryOrder":false,"ocoBulkId":0,"isNetQuantity":false,"isLimitOrder":false,"isStopOrder":false,"isELSOrder":false,"stopPegBaseType":-1,"limitPegBaseType":-1,"range":0,"action":"I"}';
const PUSH = `42${JSON.stringify(['Order', ORDER])}`;
const PER_RESPONSE = 500;
const PUSHES = Buffer.from(encodePackets(Array(PER_RESPONSE).fill(PUSH)));
const SESSION = { sid: 'A'.repeat(20), upgrades: [], pingInterval: 25_000, pingTimeout: 20_000 };
const OPENING = encodePackets([`0${JSON.stringify(SESSION)}`, '40']);

/** The next number of pushes of which a tenth consists of whole responses. */
export function roundPushes(count) {
  return Math.ceil(count / (PER_RESPONSE * 10)) * PER_RESPONSE * 10;
}

/** Sends `count` pushes to one client, which reads them by polling. Calls `onTenth` after each tenth of them. */
export async function startGateway(count, onTenth) {
  let sent = 0;
  return startService(({ method, url }, response) => {
    response.setHeader('content-type', 'text/plain; charset=UTF-8');
    if (method === 'POST') response.end(url.startsWith('/trading/') ? '{"response":{"executed":true}}' : 'ok');
    else if (!url.includes('sid=')) response.setHeader('set-cookie', `io=${SESSION.sid}; Path=/`).end(OPENING);
    else if (sent < count) {
      response.end(PUSHES);
      sent += PER_RESPONSE;
      if (sent % (count / 10) === 0) onTenth();
    }
  });
}

function encodePackets(packets) {
  return packets.map((packet) => `${packet.length}:${packet}`).join('');
}
