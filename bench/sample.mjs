// Programs like the vendor's samples for Node.js, with socket.io-client, without checks and without a journal.
//   node bench/sample.mjs buy|sell <amount> <url> <token>  sends one order, prints the response and ends
//   node bench/sample.mjs stream <url> <token> <count>     prints that many pushes of the table Order and ends
import { request } from 'node:http';
import { createRequire } from 'node:module';

const connect = createRequire(import.meta.url)('socket.io-client');

const [step, ...given] = process.argv.slice(2);
if (step === 'stream') printPushes(...given);
else sendOrder(step === 'buy', ...given);

/** By polling, as svc does. The gateway of the benchmark does not require a subscription. */
function printPushes(url, token, count) {
  const socket = connect(url, { query: `access_token=${token}`, transports: ['polling'] });
  let received = 0;
  socket.on('Order', (update) => {
    process.stdout.write(`${JSON.stringify(JSON.parse(update))}\n`);
    if (++received === Number(count)) process.stdout.write('', () => process.exit(0));
  });
}

function sendOrder(isBuy, amount, url, token) {
  const order = { account_id: '654062', symbol: 'EUR/USD', is_buy: isBuy, rate: 0, amount };
  const socket = connect(url, { query: `access_token=${token}` });
  socket.on('connect', () => {
    const headers = {
      'User-Agent': 'request',
      Accept: 'application/json',
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: `Bearer ${socket.id}${token}`,
    };
    const sent = request(`${url}/trading/open_trade`, { method: 'POST', headers }, printResponse);
    sent.end(String(new URLSearchParams({ ...order, order_type: 'AtMarket', time_in_force: 'GTC' })));
  });
}

function printResponse(response) {
  let text = '';
  response.on('data', (chunk) => {
    text += chunk;
  });
  response.on('end', () => {
    const { executed } = JSON.parse(text).response;
    process.stdout.write(`${text}\n`, () => process.exit(executed ? 0 : 1));
  });
}
