// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IPeerAccounts
/// @notice Who speaks for a peer id, as RL Swarm's clients ask it. `SwarmCoordinator` is one.
interface IPeerAccounts {
    /// @notice Accounts of peers.
    /// @param peerIds The peers.
    /// @return accounts In the same order; zero for a peer that is unknown.
    function getEoa(string[] memory peerIds) external view returns (address[] memory accounts);
}
