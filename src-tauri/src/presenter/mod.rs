//! Brings waiting calls before the person: dialog, notification, tray, badge.

pub mod desk;
