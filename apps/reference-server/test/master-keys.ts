export const MASTER_KEY = 'q0X3ZkT8m1yB7vNf5cJr9LwHs2DgPa6UoEiKx4MtQzY=';
export const OTHER_MASTER_KEY = 'Jr9LwHs2DgPa6UoEiKx4MtQzYq0X3ZkT8m1yB7vNf5c=';
