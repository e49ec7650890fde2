/** Every endpoint of doc 3 §4, part A. All are GET: the service refuses HEAD too. */
import { endpoint } from '../../http/endpoint.ts';
import type {
  Category,
  CommonCount,
  Count,
  CursorList,
  Dynamics,
  Health,
  List,
  Product,
  Settlement,
  Snapshot,
  Source,
} from './schema.ts';

const schemas = () => import('./schema.ts');

/** Asked once: a health check shows the first answer as it is. */
export const getHealth = endpoint<Health>({
  method: 'GET',
  path: '/healthz',
  effect: 'read',
  retry: false,
  answer: async () => (await schemas()).health,
});

export const getProducts = endpoint<List<Product>>({
  method: 'GET',
  path: '/products',
  effect: 'read',
  answer: async () => (await schemas()).productList,
});

export const getCount = endpoint<Count>({
  method: 'GET',
  path: '/products/count',
  effect: 'read',
  answer: async () => (await schemas()).count,
});

export const getProduct = endpoint<Product>({
  method: 'GET',
  path: '/products/{canonical_product_id}',
  effect: 'read',
  answer: async () => (await schemas()).product,
});

export const getSources = endpoint<List<Source>>({
  method: 'GET',
  path: '/products/{canonical_product_id}/sources',
  effect: 'read',
  answer: async () => (await schemas()).sourceList,
});

export const getSnapshots = endpoint<List<Snapshot>>({
  method: 'GET',
  path: '/products/{canonical_product_id}/snapshots',
  effect: 'read',
  answer: async () => (await schemas()).snapshotList,
});

export const getDynamics = endpoint<Dynamics>({
  method: 'GET',
  path: '/products/{canonical_product_id}/dynamics',
  effect: 'read',
  answer: async () => (await schemas()).dynamics,
});

export const getCommonCount = endpoint<CommonCount>({
  method: 'GET',
  path: '/products/common/count',
  effect: 'read',
  answer: async () => (await schemas()).commonCount,
});

export const getCategories = endpoint<List<Category>>({
  method: 'GET',
  path: '/categories',
  effect: 'read',
  answer: async () => (await schemas()).categoryList,
});

export const getCategory = endpoint<Category>({
  method: 'GET',
  path: '/categories/{category_id}',
  effect: 'read',
  answer: async () => (await schemas()).category,
});

export const getSettlements = endpoint<List<Settlement>>({
  method: 'GET',
  path: '/settlements',
  effect: 'read',
  answer: async () => (await schemas()).settlementList,
});

export const getSettlement = endpoint<Settlement>({
  method: 'GET',
  path: '/settlements/{settlement_id}',
  effect: 'read',
  answer: async () => (await schemas()).settlement,
});

export const getCursors = endpoint<CursorList>({
  method: 'GET',
  path: '/sync/cursors',
  effect: 'read',
  answer: async () => (await schemas()).cursorList,
});
