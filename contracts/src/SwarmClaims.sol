// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {ISwarmCoordinator} from "./interfaces/ISwarmCoordinator.sol";
import {Claims} from "./libraries/Claims.sol";

/// @title SwarmClaims
/// @notice The part of `SwarmCoordinator` with the views of claims and of peers' accounts.
abstract contract SwarmClaims is ISwarmCoordinator {
    IPeerRegistry internal immutable _registry;
    IRounds internal immutable _rounds;

    /// @param registry Its proofs go before claims.
    /// @param clock The clock.
    constructor(IPeerRegistry registry, IRounds clock) {
        _registry = registry;
        _rounds = clock;
    }

    /// @inheritdoc ISwarmCoordinator
    function getPeerId(address[] calldata eoas) external view returns (string[][] memory peerIds) {
        peerIds = new string[][](eoas.length);
        for (uint256 i = 0; i < eoas.length; ++i) peerIds[i] = _peerIdsOf(eoas[i]);
    }

    /// @inheritdoc ISwarmCoordinator
    function getEoa(string[] calldata peerIds) external view returns (address[] memory eoas) {
        eoas = new address[](peerIds.length);
        for (uint256 i = 0; i < peerIds.length; ++i) eoas[i] = _accountOf(keccak256(bytes(peerIds[i])));
    }

    /// @inheritdoc ISwarmCoordinator
    function getVoterVotes(
        uint256 roundNumber,
        string calldata peerId
    ) external view returns (string[] memory winners) {
        return Claims.layout().votes[roundNumber][keccak256(bytes(peerId))];
    }

    /// @inheritdoc ISwarmCoordinator
    function getVoterVoteCount(string calldata peerId) external view returns (uint256 count) {
        return Claims.layout().voteCounts[keccak256(bytes(peerId))];
    }

    /// @inheritdoc ISwarmCoordinator
    function getTotalWins(string calldata peerId) external view returns (uint256 count) {
        return Claims.layout().wins[keccak256(bytes(peerId))];
    }

    /// @inheritdoc ISwarmCoordinator
    function uniqueVoters() external view returns (uint256 count) {
        return Claims.layout().uniqueVoters;
    }

    /// @inheritdoc ISwarmCoordinator
    function getRoundStageReward(
        uint256 roundNumber,
        uint256 stageNumber,
        address[] calldata accounts
    ) external view returns (int256[] memory rewards) {
        rewards = new int256[](accounts.length);
        for (uint256 i = 0; i < accounts.length; ++i) {
            rewards[i] = Claims.layout().roundRewards[roundNumber][stageNumber][accounts[i]];
        }
    }

    /// @inheritdoc ISwarmCoordinator
    function hasSubmittedRoundStageReward(
        uint256 roundNumber,
        uint256 stageNumber,
        string calldata peerId
    ) external view returns (bool submitted) {
        return Claims.layout().rewarded[roundNumber][stageNumber][keccak256(bytes(peerId))];
    }

    /// @inheritdoc ISwarmCoordinator
    function getTotalRewards(string[] calldata peerIds) external view returns (int256[] memory rewards) {
        rewards = new int256[](peerIds.length);
        for (uint256 i = 0; i < peerIds.length; ++i) {
            rewards[i] = Claims.layout().totalRewards[keccak256(bytes(peerIds[i]))];
        }
    }

    /// @inheritdoc ISwarmCoordinator
    function importedOf(string calldata peerId) external view returns (bool isImported, int256 rewards, uint256 wins) {
        Claims.Imported storage kept = Claims.layout().imported[keccak256(bytes(peerId))];
        return (kept.isImported, kept.rewards, kept.wins);
    }

    /// @inheritdoc ISwarmCoordinator
    function peerRegistry() external view returns (IPeerRegistry registry) {
        return _registry;
    }

    /// @inheritdoc ISwarmCoordinator
    function rounds() external view returns (IRounds clock) {
        return _rounds;
    }

    /// @inheritdoc ISwarmCoordinator
    function currentRound() public view returns (uint256 round) {
        uint256 open = _rounds.firstOpenRound();
        return open == 0 ? 0 : open - 1;
    }

    /// @dev The account that proved a peer, else the one that claimed it.
    function _accountOf(bytes32 peerKey) internal view returns (address account) {
        account = _registry.accountOf(peerKey);
        if (account == address(0)) account = Claims.layout().accounts[peerKey];
    }

    /// @dev Peers that an account claimed and nobody else proved, then peers that it proved and did not claim.
    function _peerIdsOf(address account) internal view returns (string[] memory peerIds) {
        Claims.Layout storage claims = Claims.layout();
        string[] memory claimed = claims.peerIds[account];
        string[] memory proven = _registry.peerIdsOf(account, 0, type(uint256).max);
        string[] memory all = new string[](claimed.length + proven.length);
        uint256 count = 0;
        for (uint256 i = 0; i < claimed.length; ++i) {
            if (_accountOf(keccak256(bytes(claimed[i]))) == account) all[count++] = claimed[i];
        }
        for (uint256 i = 0; i < proven.length; ++i) {
            if (claims.accounts[keccak256(bytes(proven[i]))] != account) all[count++] = proven[i];
        }
        peerIds = new string[](count);
        for (uint256 i = 0; i < count; ++i) peerIds[i] = all[i];
    }
}
