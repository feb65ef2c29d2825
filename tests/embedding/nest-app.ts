import 'reflect-metadata';
import type { Server } from 'node:http';
import { answerRefusedRequests, expressGate } from '@gateramp/adapters-http-express';
import type { Gate } from '@gateramp/core';
import { Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

class AppModule {}
Module({})(AppModule); // or the decorator, `@Module({ … })`, with your controllers and providers

/** Nest on Express, which is its default. */
export async function nestApp(gate: Gate): Promise<INestApplication<Server>> {
  const app = await NestFactory.create<INestApplication<Server>>(AppModule, { logger: ['error', 'warn'] });
  app.use('/sandbox', expressGate(gate, { mode: 'test' })); // before `listen`, so that it runs before Nest's body parsers
  answerRefusedRequests(app.getHttpServer(), gate, { mode: 'test', prefix: '/sandbox' });
  return app;
}
