// Package events is what handles do about events, above the waiting in package dpath: when the waiting begins and ends,
// which open handle an event is for, and that the handle is not closed before the event is acknowledged.
//
// It must not know generated packages. What an event concerns is data that they give.
package events
