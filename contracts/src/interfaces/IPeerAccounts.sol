// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IPeerAccounts
/// @notice Which account speaks for a peer id, in the form that RL Swarm's clients call. `SwarmCoordinator` implements
/// it.
interface IPeerAccounts {
    /// @notice Accounts of peers.
    /// @param peerIds The peers.
    /// @return accounts In the same order; zero for an unknown peer.
    function getEoa(string[] memory peerIds) external view returns (address[] memory accounts);
}
