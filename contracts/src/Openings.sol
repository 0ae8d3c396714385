// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOpenings} from "./interfaces/IOpenings.sol";
import {IRewardVotes} from "./interfaces/IRewardVotes.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {ScoreOpenings} from "./ScoreOpenings.sol";
import {TaskPay} from "./TaskPay.sol";

/// @title Openings
/// @notice Pays evaluators for scores of single leaves that agree, and pays and slashes proposers.
contract Openings is TaskPay {
    /// @param votes The votes that are opened.
    constructor(IRewardVotes votes) ScoreOpenings(votes) {}

    /// @inheritdoc IOpenings
    function rewardVotes() external view returns (IRewardVotes votes) {
        return _votes;
    }

    /// @inheritdoc IOpenings
    function rounds() external view returns (IRounds clock) {
        return _rounds;
    }
}
